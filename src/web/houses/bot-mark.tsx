import { t } from '../texts/texts.ts'

/** Says of an account that no person writes with it, whatever its name. */
export function BotMark({ of }: { of: { bot: boolean } }) {
  return of.bot && <strong class="badge">{t().bot}</strong>
}
