import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Answer } from '../../client/operations.ts'
import { openCreateHouse } from '../houses/dialogs.tsx'
import { useHouseCreationForAdmins } from '../houses/house-creation.ts'
import { api } from '../session.ts'
import { openConfirmation } from '../shell/confirmation.tsx'
import { More } from '../shell/more.tsx'
import { Picture } from '../shell/picture.tsx'
import { usePages } from '../shell/use-pages.ts'
import { at } from '../texts/administration.ts'
import { sizeText } from '../texts/sizes.ts'
import { language, plural, t } from '../texts/texts.ts'
import { SearchField } from './search-field.tsx'

type AdministeredHouse = Answer<'listAdministeredHouses'>[number]

const limit = 50

/** The houses of the server. */
export function AdministeredHouses() {
  const isForAdmins = useHouseCreationForAdmins()
  const wanted = useSignal('')
  const q = wanted.value.trim()
  const list = useRef<HTMLUListElement>(null)
  const pages = usePages<AdministeredHouse>(
    limit,
    (last) =>
      api.call('listAdministeredHouses', {
        query: { limit, ...(q !== '' && { q }), ...(last && { after: last.house.id }) },
      }),
    [q],
  )
  const { items: houses, failure, reload } = pages
  return (
    <section>
      <h2>{at().houses}</h2>
      {isForAdmins && (
        <p>
          <button type="button" onClick={openCreateHouse}>
            {t().createHouse}
          </button>
        </p>
      )}
      <SearchField label={at().findHouses} wanted={wanted} />
      {failure !== '' && <p role="alert">{failure}</p>}
      <p class="hint" role="status">
        {houses?.length === 0 && at().noneFound}
      </p>
      <ul ref={list} class="rows">
        {houses?.map((each) => (
          <HouseRow key={each.house.id} of={each} reload={reload} />
        ))}
      </ul>
      <More of={pages} list={list} />
    </section>
  )
}

function HouseRow({ of, reload }: { of: AdministeredHouse; reload: () => Promise<void> }) {
  const { house, owner, members, messages, storage_bytes } = of
  const remove = async () => {
    await api.call('deleteAdministeredHouse', { params: { id: house.id } })
    await reload()
  }
  const ask = () =>
    openConfirmation(at().deleteHouse, at().deleteHouseSure(house.name), remove, { typed: house.name })
  const facts = [
    at().ownedBy(`@${owner.username}`),
    plural(t().memberCount, members),
    `${at().messages}: ${new Intl.NumberFormat(language.value).format(messages)}`,
    sizeText(storage_bytes),
  ]
  return (
    <li class="person">
      <Picture of={house} kind="houses" size="large" />
      <div class="grows breaks">
        <p>
          <bdi>{house.name}</bdi>
        </p>
        <p class="hint">{facts.join(' · ')}</p>
      </div>
      <button type="button" aria-label={`${at().deleteHouse}: ${house.name}`} onClick={ask}>
        {at().deleteHouse}
      </button>
    </li>
  )
}
