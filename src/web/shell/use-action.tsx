import { useSignal } from '@preact/signals'
import { errorText } from '../texts/texts.ts'

/** Does something at the press of a button: `notice` says what became of it. */
export function useAction() {
  const failure = useSignal('')
  const done = useSignal('')
  const act = async (action: () => Promise<unknown>, saying = '') => {
    failure.value = ''
    done.value = ''
    try {
      await action()
      done.value = saying
    } catch (error) {
      failure.value = errorText(error)
    }
  }
  const notice = (
    <>
      {failure.value !== '' && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      <p role="status">{done.value}</p>
    </>
  )
  return { act, notice }
}
