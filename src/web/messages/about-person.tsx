import type { Profile } from '../state/state.ts'
import { st } from '../texts/settings.ts'
import { Content } from './content.tsx'
import { safeAddress } from './links.ts'

/** What somebody has written about themselves: the text as in a message, the place, and the website. */
export function AboutPerson({ id, of: { bio, location, website } }: { id: string; of: Profile }) {
  const address = safeAddress(website)
  return (
    <>
      <Content message={{ id: `about-${id}`, room_id: '', content: bio, mentions: [] }} />
      {(location !== '' || website !== '') && (
        <dl class="about-person">
          {location !== '' && (
            <div>
              <dt>{st().location}</dt>
              <dd dir="auto">{location}</dd>
            </div>
          )}
          {website !== '' && (
            <div>
              <dt>{st().website}</dt>
              <dd>
                {address ? (
                  <a href={address} target="_blank" rel="noopener noreferrer nofollow">
                    {shownAddress(address)}
                  </a>
                ) : (
                  website
                )}
              </dd>
            </div>
          )}
        </dl>
      )}
    </>
  )
}

/** An address as people say it, without what could pass for another host: `example.org/about`. */
function shownAddress(address: string): string {
  const { host, pathname, search } = new URL(address)
  return `${host}${pathname === '/' ? '' : pathname}${search}`
}
