import { sql } from 'kysely'
import { generateSync } from 'otplib'
import { insertOidcCode } from '../../../src/accounts/oidc/queries.ts'
import { hashToken } from '../../../src/auth/tokens.ts'
import { pushSubscription } from '../push-keys.ts'
import { db, store } from '../world.ts'
import { offerPush } from './offer-push.ts'
import type { Recipes } from './recipe.ts'
import { codes, password, people, phone, picture, totpSecret } from './village.ts'

const { mira, jonas, toolbot } = people
const exportKey = '7e'.repeat(32)
const newPassword = 'seven clean chisels'

/** Gives Mira a secret for her codes. */
async function withTotp(mfa_enabled: boolean): Promise<void> {
  await db
    .updateTable('users')
    .set({ totp_secret: totpSecret, mfa_enabled })
    .where('id', '=', mira.id)
    .execute()
}

/** Gives Mira an archive that is ready. */
async function withExport(): Promise<undefined> {
  const expires_at = sql<Date>`now() + interval '1 day'`
  await db.deleteFrom('exports').execute()
  await db
    .insertInto('exports')
    .values({ user_id: mira.id, key: exportKey, progress: 100, expires_at })
    .execute()
  await store.write(`exports/${mira.id}/${exportKey}.zip`, Buffer.from('PK'))
}

export const accountRecipes: Recipes = {
  register: {
    by: null,
    body: { email: 'ines@example.org', username: 'ines', password: newPassword, name: 'Inês Duarte' },
  },
  logIn: { by: null, body: { login: 'mira@example.org', password } },
  logOut: {},
  beginOidc: { by: null, query: { return_to: '/app/friends' } },
  finishOidc: { by: null },
  logInByOidc: {
    by: null,
    body: { code: codes.oidc },
    first: async () => {
      const identity = { issuer: 'https://id.example.org', subject: 'nadia' }
      const profile = { email: null, email_verified: false, username: null, name: null }
      await db
        .insertInto('oidc_identities')
        .values({ ...identity, user_id: people.nadia.id })
        .execute()
      await insertOidcCode(db, hashToken(codes.oidc), { ...identity, profile }, 60_000)
      return undefined
    },
  },
  verifyEmail: { by: null, body: { code: codes.email } },
  resendVerification: { by: 'jonas' },
  changeEmail: { body: { email: 'mira.okafor@example.org', password } },
  checkPassword: { by: null, body: { password: 'a shed full of drills', username: 'mira' } },
  forgotPassword: { by: null, body: { email: 'mira@example.org' } },
  resetPassword: { by: null, body: { code: codes.reset, password: newPassword } },
  changePassword: { body: { current: password, new: newPassword } },
  subscribeToPushes: { body: pushSubscription, first: offerPush },
  unsubscribeFromPushes: { params: { id: phone } },
  listSessions: {},
  endSession: { params: { id: phone } },
  requestExport: { body: { password } },
  getExport: { first: withExport },
  getExportFile: {
    by: null,
    params: { user_id: mira.id },
    query: { key: exportKey },
    first: withExport,
  },
  beginTotp: { body: { password } },
  enableTotp: {
    body: { code: '492039' },
    first: async () => {
      await withTotp(false)
      return { code: generateSync({ secret: totpSecret }) }
    },
  },
  disableTotp: {
    body: { password },
    first: async () => {
      await withTotp(true)
      return undefined
    },
  },
  deleteOwnAccount: { body: { password } },

  createBot: { body: { username: 'cakebot', name: 'Cake Bot' } },
  listBots: {},
  editBot: { params: { id: toolbot.id }, body: { bio: 'Counts the drills, and the bits.', public: true } },
  rotateBotToken: { params: { id: toolbot.id } },
  deleteBot: { params: { id: toolbot.id } },

  getOwnUser: {},
  editOwnUser: { body: { location: 'Porto', bio: 'Keeps two tool libraries running.', icon: picture } },
  getUser: { by: null, params: { ref: jonas.username } },

  getSettings: {},
  editSettings: { body: { theme: null, onboarded: true } },
  listReadStates: {},
}
