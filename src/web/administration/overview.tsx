import type { Answer } from '../../client/operations.ts'
import { api } from '../session.ts'
import { useLoaded } from '../shell/use-loaded.ts'
import { at } from '../texts/administration.ts'
import { shortText } from '../texts/dates.ts'
import { sizeText } from '../texts/sizes.ts'
import { language, plural, t } from '../texts/texts.ts'

const numberText = (number: number) => new Intl.NumberFormat(language.value).format(number)

/** What the server has and uses, and how it is. */
export function ServerOverview() {
  const { value: overview, failure } = useLoaded(() => api.call('getAdminOverview'))
  const { value: isReady } = useLoaded(() =>
    api.call('getReady').then(
      () => true,
      () => false,
    ),
  )
  return (
    <section>
      <h2>{at().overview}</h2>
      {failure !== '' && <p role="alert">{failure}</p>}
      {!overview && failure === '' && <p class="muted">{t().loading}</p>}
      {overview && (
        <>
          <dl class="facts">
            <Fact name={at().version} value={overview.version} />
            {isReady !== undefined && (
              <Fact name={at().health} value={isReady ? at().healthy : at().unhealthy} />
            )}
            <Fact name={at().users} value={numberText(overview.users)} />
            <Fact name={at().houses} value={numberText(overview.houses)} />
            <Fact name={at().messages} value={numberText(overview.messages)} />
            <Fact name={at().storage} value={sizeText(overview.storage_bytes)} />
            <Fact name={at().database} value={sizeText(overview.database_bytes)} />
            <Fact name={at().sockets} value={numberText(overview.sockets)} />
          </dl>
          <h3>{at().processes}</h3>
          <Processes of={overview} />
        </>
      )}
    </section>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Processes({ of }: { of: Answer<'getAdminOverview'> }) {
  return (
    <ul class="rows">
      {of.processes.map((each) => (
        <li key={`${each.started_at} ${each.memory_bytes}`}>
          {at().processSince(
            shortText(Date.parse(each.started_at)),
            sizeText(each.memory_bytes),
            plural(at().connections, each.sockets),
          )}
        </li>
      ))}
    </ul>
  )
}
