import { Icon } from '../shell/icon.tsx'
import type { Message } from '../state/state.ts'
import { sizeText } from '../texts/sizes.ts'
import { t } from '../texts/texts.ts'
import { openLightbox } from './lightbox.tsx'
import { mediaBox } from './media-box.ts'

/** The file of a message: pictures and videos in place, at their size from the start; others as a card. */
export function Attachment({ id, of }: { id: string; of: NonNullable<Message['attachment']> }) {
  const { filename, media_url, content_type, size } = of
  const box = mediaBox(of)
  const aspectRatio = `${box.width} / ${box.height}`
  if (content_type.startsWith('image/')) {
    return (
      <a
        id={id}
        class="media"
        href={media_url}
        target="_blank"
        rel="noopener noreferrer"
        onClick={(event) => {
          // With a key held the link opens a tab, as links do.
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          openLightbox(of)
        }}
      >
        <img src={media_url} alt={t().picture(filename)} {...box} style={{ aspectRatio }} loading="lazy" />
      </a>
    )
  }
  if (content_type.startsWith('video/')) {
    // Its own proportions are known once it is loaded: they do not change its place any more.
    const style = { inlineSize: `${box.width}px`, aspectRatio }
    return (
      // biome-ignore lint/a11y/useMediaCaption: what people send has no captions
      <video
        id={id}
        class="media"
        src={media_url}
        controls
        playsInline
        preload="metadata"
        aria-label={filename}
        style={style}
      />
    )
  }
  return (
    <a id={id} class="file" href={media_url} target="_blank" rel="noopener noreferrer">
      <Icon name="file" />
      <span class="cut">
        <span class="visually-hidden">{t().file} </span>
        <bdi>{filename}</bdi>
      </span>{' '}
      <span class="muted">{sizeText(size)}</span>
    </a>
  )
}
