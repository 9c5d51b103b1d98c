const paths = {
  members:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-7 8a7 7 0 0 1 14 0M16 4.5a3.5 3.5 0 0 1 0 6.5m3 8a7 7 0 0 0-2.500-5.300',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zm4.700-1.800L20 20',
  send: 'M4 12 20 5l-5 15-3-6zm8 2 4-5',
  reply: 'M10 6 4 12l6 6M4 12h10a6 6 0 0 1 6 6',
  react: 'M11 3a9 9 0 1 0 9 9M8 10v.5m6-.5v.5m-7 4a5 5 0 0 0 8 0M19 2v6m-3-3h6',
  pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zm3 11v6',
  edit: 'M4 20h4L19 9l-4-4L4 16zm9-13 4 4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  remove: 'M5 7h14M10 4h4M7 7l1 13h8l1-13',
  close: 'm6 6 12 12M18 6 6 18',
  back: 'm15 5-7 7 7 7',
  add: 'M12 5v14M5 12h14',
  down: 'm6 9 6 6 6-6',
  more: 'M6 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0zm7 0a1 1 0 1 1-2 0 1 1 0 0 1 2 0zm7 0a1 1 0 1 1-2 0 1 1 0 0 1 2 0z',
  home: 'm4 11 8-7 8 7v9H4zm6 9v-6h4v6',
  attach: 'm20 11-8.500 8.500a5 5 0 0 1-7-7L13 4a3.500 3.500 0 0 1 5 5l-8.500 8.500a2 2 0 0 1-3-3L14 7',
  file: 'M6 3h8l4 4v14H6zm8 0v4h4',
  timer: 'M12 6a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 4v4l2 2M9.500 2h5',
  emoji: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9.500v.5m6-.5v.5m-7 4a5 5 0 0 0 8 0',
} as const

export type IconName = keyof typeof paths

/** What points along the line, and so the other way where lines go from right to left. */
const pointing = new Set<IconName>(['back', 'send', 'reply'])

/** A drawing on a button. The button has a name of its own. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={pointing.has(name) ? 'icon pointing' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
