import { closeDialog, openDialog } from '../shell/dialog.tsx'
import type { Message } from '../state/state.ts'
import { t } from '../texts/texts.ts'

/** Shows a picture as large as the window allows. A click on it, or Esc, closes it. */
export function openLightbox({ filename, media_url, dimensions }: NonNullable<Message['attachment']>): void {
  openDialog(
    filename,
    <div class="lightbox">
      <button type="button" class="plain" aria-label={t().close} onClick={closeDialog}>
        <img
          src={media_url}
          alt={t().picture(filename)}
          width={dimensions?.width}
          height={dimensions?.height}
        />
      </button>
      <a href={media_url} target="_blank" rel="noopener noreferrer">
        {t().openOriginal}
      </a>
    </div>,
  )
}
