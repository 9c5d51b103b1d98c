import { lazy } from '../shell/lazy.tsx'
import { NoticePage, Page } from '../shell/page.tsx'
import { Sections } from '../shell/sections.tsx'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { houseSections } from './house-sections.ts'

const Section = lazy(async () => (await import('./settings/pages.tsx')).HouseSettingsSection)

/** The settings of a house, as far as one may change them. */
export function HouseSettingsPage({ houseId, section }: { houseId: string; section: string }) {
  const house = store.houses.value[houseId]
  const sections = house ? houseSections(house) : []
  const shown = sections.find((name) => name === section) ?? sections[0]
  if (!house || !shown) {
    return <NoticePage title={t().houseSettings} text={house ? t().noHouseSettings : t().houseGone} />
  }
  return (
    <Page title={t().houseSettings}>
      <div class="with-sections">
        <Sections
          label={t().houseSettings}
          sections={sections.map((name) => [name, t().houseSections[name]])}
          section={shown}
          placeOf={(name) => ({ name: 'houseSettings', houseId, section: name })}
        />
        <div class="page-body">
          <Section key={`${houseId} ${shown}`} house={house} section={shown} />
        </div>
      </div>
    </Page>
  )
}
