import { api } from '../session.ts'
import { lazy } from '../shell/lazy.tsx'
import { LoadingPage, NoticePage, Page } from '../shell/page.tsx'
import { Sections } from '../shell/sections.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { t } from '../texts/texts.ts'

const Section = lazy(async () => (await import('./pages.tsx')).AdministrationSection)

/** The page for admins of the server. To others the address leads nowhere. */
export function AdministrationPage({ section }: { section: string }) {
  const { value: own, failure } = useLoaded(() => api.call('getOwnAdministration'))
  if (failure !== '' || own?.admin === false) {
    return <NoticePage title={t().notFound} text={t().nothingHere} />
  }
  if (!own) return <LoadingPage />
  const sections = Object.entries(t().administrationSections)
  const shown = sections.some(([name]) => name === section) ? section : ''
  return (
    <Page title={t().administration}>
      <div class="with-sections">
        <Sections
          label={t().administration}
          sections={sections}
          section={shown}
          placeOf={(name) => ({ name: 'administration', section: name })}
        />
        <div class="page-body">
          <Section key={shown} section={shown} />
        </div>
      </div>
    </Page>
  )
}
