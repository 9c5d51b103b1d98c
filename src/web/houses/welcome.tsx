import { Page } from '../shell/page.tsx'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { openCreateHouse, openJoinHouse } from './dialogs.tsx'
import { useHouseCreationForAdmins } from './house-creation.ts'

/** The first page of somebody who is in no house. */
export function Welcome() {
  const isForAdmins = useHouseCreationForAdmins()
  return (
    <Page title={t().welcome(store.me.value?.name ?? '')}>
      <div class="page-body">
        <div class="blank">
          <img src="/app/icon.svg" alt="" width="64" height="64" />
          <p>{isForAdmins ? t().noHousesYet : t().noHouses}</p>
          <div class="row">
            {!isForAdmins && (
              <button type="button" class="primary" onClick={openCreateHouse}>
                {t().createHouse}
              </button>
            )}
            <button type="button" onClick={openJoinHouse}>
              {t().joinHouse}
            </button>
          </div>
        </div>
      </div>
    </Page>
  )
}
