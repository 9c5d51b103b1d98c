import { Icon } from '../../shell/icon.tsx'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'

type RowButtonsProps = {
  /** Of the thing in the row. */
  name: string
  /** Undefined where it does not go further. */
  up: (() => void) | undefined
  down: (() => void) | undefined
  edit?: (() => void) | undefined
  remove?: (() => void) | undefined
}

/** What can be done with a row of an ordered list. */
export function RowButtons({ name, up, down, edit, remove }: RowButtonsProps) {
  return (
    <span class="row-buttons">
      <Step label={`${st().moveUp}: ${name}`} arrow="↑" act={up} />
      <Step label={`${st().moveDown}: ${name}`} arrow="↓" act={down} />
      {edit && (
        <button type="button" class="plain" aria-label={`${t().edit}: ${name}`} onClick={edit}>
          <Icon name="edit" />
        </button>
      )}
      {remove && (
        <button type="button" class="plain" aria-label={`${t().remove}: ${name}`} onClick={remove}>
          <Icon name="remove" />
        </button>
      )}
    </span>
  )
}

type StepProps = { label: string; arrow: string; act: (() => void) | undefined }

/** Stays where it can go no further, so that it keeps the focus. */
function Step({ label, arrow, act }: StepProps) {
  return (
    <button type="button" class="plain" aria-label={label} aria-disabled={!act} onClick={() => act?.()}>
      <span aria-hidden="true">{arrow}</span>
    </button>
  )
}
