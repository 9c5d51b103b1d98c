import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type Place, pathOf } from '../places.ts'

type SectionsProps = {
  label: string
  /** Names and labels. */
  sections: [string, string][]
  section: string
  placeOf: (section: string) => Place
  children?: ComponentChildren
}

/** Links to the sections of a page, and what else belongs beside them. */
export function Sections({ label, sections, section, placeOf, children }: SectionsProps) {
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [section])
  return (
    <div class="sections">
      <nav ref={list} aria-label={label}>
        {sections.map(([name, text]) => (
          <a key={name} href={pathOf(placeOf(name))} aria-current={name === section ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {children}
    </div>
  )
}
