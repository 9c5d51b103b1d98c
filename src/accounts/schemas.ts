import { type Static, Type } from '@sinclair/typebox'
import { AnyText, maxPasswordLength, minPasswordLength } from '../http/schemas/strings.ts'
import { FullUser, Name, Username } from '../users/schemas.ts'

const Email = Type.String({
  format: 'mail_address',
  description: 'an e-mail address of up to 254 characters, compared without case',
})
/** A password to set (docs/api.md#field-limits). A password to check may be any text. */
const NewPassword = AnyText({ minLength: minPasswordLength, maxLength: maxPasswordLength })

export const Register = Type.Object(
  {
    email: Email,
    username: Username,
    password: NewPassword,
    name: Type.Optional(Name),
    invite: Type.Optional(
      AnyText({ description: 'the code of an invite to a house, which the account joins' }),
    ),
  },
  { additionalProperties: false },
)
export type Register = Static<typeof Register>

export const LogIn = Type.Object(
  {
    login: AnyText({ description: 'a username, or an e-mail address' }),
    password: AnyText(),
    code: Type.Optional(AnyText({ description: 'a TOTP or backup code' })),
  },
  { additionalProperties: false },
)
export type LogIn = Static<typeof LogIn>

/** Where the web client goes once somebody is logged in: never to another site. */
export const BeginOidc = Type.Object(
  {
    return_to: Type.Optional(
      Type.String({
        pattern: '^/app/[!-\\[\\]-~]*$',
        maxLength: 512,
        description: 'an address of the web client, by default /app/',
      }),
    ),
  },
  { additionalProperties: false },
)
export type BeginOidc = Static<typeof BeginOidc>

/** The response of registration and login. The token is shown only once. */
export const LoggedIn = Type.Object({ token: Type.String(), user: FullUser })
export type LoggedIn = Static<typeof LoggedIn>

export const Code = Type.Object({ code: AnyText() }, { additionalProperties: false })
export type Code = Static<typeof Code>
export const ForgotPassword = Type.Object({ email: Type.String() }, { additionalProperties: false })
export type ForgotPassword = Static<typeof ForgotPassword>
export const ResetPassword = Type.Object(
  { code: AnyText(), password: NewPassword },
  { additionalProperties: false },
)
export type ResetPassword = Static<typeof ResetPassword>
/** A password that is about to be set, and the names of its account. */
export const CheckPassword = Type.Object(
  {
    password: AnyText({ maxLength: maxPasswordLength }),
    username: Type.Optional(AnyText({ maxLength: maxPasswordLength })),
    name: Type.Optional(AnyText({ maxLength: maxPasswordLength })),
    email: Type.Optional(AnyText({ maxLength: maxPasswordLength })),
  },
  { additionalProperties: false },
)
export type CheckPassword = Static<typeof CheckPassword>
export const ChangePassword = Type.Object(
  { current: AnyText(), new: NewPassword },
  { additionalProperties: false },
)
export type ChangePassword = Static<typeof ChangePassword>
export const ChangeEmail = Type.Object({ email: Email, password: AnyText() }, { additionalProperties: false })
export type ChangeEmail = Static<typeof ChangeEmail>
export const DeleteAccount = Type.Object({ password: AnyText() }, { additionalProperties: false })
export type DeleteAccount = Static<typeof DeleteAccount>
export const BeginTotp = Type.Object({ password: AnyText() }, { additionalProperties: false })
export type BeginTotp = Static<typeof BeginTotp>
/** At least one of the two is required; `code` counts if both are given. */
export const DisableTotp = Type.Object(
  { code: Type.Optional(AnyText()), password: Type.Optional(AnyText()) },
  { additionalProperties: false },
)
export type DisableTotp = Static<typeof DisableTotp>

export const VerifiedEmail = Type.Object({ email_verified: Type.Literal(true) })
export type VerifiedEmail = Static<typeof VerifiedEmail>
export const EmailAddress = Type.Object({ email: Type.String() })
export type EmailAddress = Static<typeof EmailAddress>
export const ResetDone = Type.Object({ reset: Type.Literal(true) })
export type ResetDone = Static<typeof ResetDone>
export const CheckedPassword = Type.Object({ accepted: Type.Boolean() })
export type CheckedPassword = Static<typeof CheckedPassword>
export const AccountId = Type.Object({ id: Type.String() })
export type AccountId = Static<typeof AccountId>
export const EndedSession = Type.Object({ id: Type.String() })
export type EndedSession = Static<typeof EndedSession>
export const TotpSecret = Type.Object({ secret: Type.String(), otpauth_url: Type.String() })
export type TotpSecret = Static<typeof TotpSecret>
export const BackupCodes = Type.Object({ backup_codes: Type.Array(Type.String()) })
export type BackupCodes = Static<typeof BackupCodes>
export const TotpDisabled = Type.Object({ mfa_enabled: Type.Literal(false) })
export type TotpDisabled = Static<typeof TotpDisabled>

/** A login session (docs/resources.md#other-resources); `current`: whether it belongs to the token of the request. */
export const LoginSession = Type.Object({
  id: Type.String(),
  created_at: Type.String(),
  last_seen_at: Type.String(),
  client: Type.String(),
  address: Type.String(),
  current: Type.Boolean(),
})
export type LoginSession = Static<typeof LoginSession>
