const hues = 8

type PictureProps = {
  of: { id: string; name: string; icon: string | null }
  kind: 'users' | 'houses'
  size?: 'small' | 'large'
}

/** The picture of a user or house, else initials on a colour of their own. It says nothing that the name does not. */
export function Picture({ of, kind, size = 'small' }: PictureProps) {
  const shape = `picture picture-${size} picture-of-${kind}`
  if (of.icon) return <img class={shape} src={`/${kind}/${of.id}/icons/${of.icon}`} alt="" loading="lazy" />
  return (
    <span class={`${shape} hue-${hueOf(of.id)}`} aria-hidden="true">
      {initialsOf(of.name)}
    </span>
  )
}

function hueOf(id: string): number {
  // Ids end alike: the remainder by a prime comes first.
  return Number(BigInt(/^\d+$/.test(id) ? id : 0) % 9973n) % hues
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/).slice(0, 2)
  return words.map((word) => (Array.from(word)[0] ?? '').toLocaleUpperCase()).join('')
}
