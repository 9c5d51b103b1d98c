import { Icon } from '../shell/icon.tsx'
import { t } from '../texts/texts.ts'
import { isCleanedPicture, removeUpload, sendAsFile, sendFile, type Upload, uploads } from './uploads.ts'

/** The files that one has chosen for a room or that are being sent. */
export function UploadList({ roomId }: { roomId: string }) {
  const own = uploads.value.filter(({ room_id }) => room_id === roomId)
  if (own.length === 0) return null
  return (
    <ul class="uploads" aria-label={t().files}>
      {own.map((upload) => (
        <UploadRow key={upload.nonce} upload={upload} />
      ))}
    </ul>
  )
}

function UploadRow({ upload }: { upload: Upload }) {
  const { nonce, file, asFile, state, progress, failure, fields } = upload
  return (
    <li class="upload">
      <span class="upload-name">
        <bdi class="cut">{file.name}</bdi>
        {state !== 'sending' && isCleanedPicture(file) && (
          <label class="check as-file" title={t().asFileHint}>
            <input
              type="checkbox"
              aria-label={`${t().asFile}: ${file.name}`}
              checked={asFile}
              onChange={(event) => sendAsFile(nonce, event.currentTarget.checked)}
            />
            {t().asFile}
          </label>
        )}
        {state !== 'chosen' && fields.content && <span class="muted cut">{fields.content}</span>}
      </span>
      {state === 'sending' && <progress value={progress} max={1} aria-label={t().sendingFile(file.name)} />}
      {state === 'failed' && (
        <>
          <span class="failure" role="alert">
            {failure}
          </span>
          <button type="button" class="link" onClick={() => void sendFile(nonce)}>
            {t().tryAgain}
          </button>
        </>
      )}
      <button
        type="button"
        class="plain"
        aria-label={state === 'sending' ? t().cancelFile(file.name) : t().removeFile(file.name)}
        onClick={() => removeUpload(nonce)}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}
