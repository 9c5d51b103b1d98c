import { type Static, Type } from '@sinclair/typebox'
import { AnyText } from '../http/strings.ts'
import { FullUser, UserName, Username } from '../users/schemas.ts'

const minPasswordLength = 8
const maxPasswordLength = 256

export const Email = Type.String({
  format: 'mail_address',
  description: 'up to 254 characters, compared without case',
})
/** A password to be set. One to be checked may be any text: it is right or wrong. */
export const NewPassword = AnyText({ minLength: minPasswordLength, maxLength: maxPasswordLength })

export const Register = Type.Object(
  { email: Email, username: Username, password: NewPassword, name: Type.Optional(UserName) },
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

/** What registering and logging in answer: the token is shown this once. */
export const LoggedIn = Type.Object({ token: Type.String(), user: FullUser })
export type LoggedIn = Static<typeof LoggedIn>
