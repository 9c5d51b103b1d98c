import type { Place } from '../places.ts'
import { ConfirmEmail } from './confirm-email.tsx'
import { CreateAccount } from './create-account.tsx'
import { LogIn } from './log-in.tsx'
import { OidcLogin } from './oidc-login.tsx'
import { ForgottenPassword, NewPassword } from './passwords.tsx'

/** What somebody sees who is not logged in: at any place but these the login, which leads there. */
export function AccountScreen({ at }: { at: Place }) {
  switch (at.name) {
    case 'createAccount':
      return <CreateAccount invite={at.invite} />
    case 'forgottenPassword':
      return <ForgottenPassword />
    case 'newPassword':
      return <NewPassword code={at.code} />
    case 'confirmEmail':
      return <ConfirmEmail code={at.code} />
    case 'oidc':
      return <OidcLogin code={at.code} returnTo={at.returnTo} />
    case 'logIn':
      return <LogIn invite={at.invite} />
    default:
      return <LogIn />
  }
}
