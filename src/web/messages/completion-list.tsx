import { Picture } from '../shell/picture.tsx'
import { t } from '../texts/texts.ts'
import { optionId, type useCompletion } from './use-completion.ts'

/** What can be chosen for the word that one has begun. The field keeps the focus. */
export function CompletionList({ completion }: { completion: ReturnType<typeof useCompletion> }) {
  const { listId, candidates, index, choose } = completion
  if (candidates.length === 0) return null
  return (
    <div id={listId} class="completion" role="listbox" aria-label={t().suggestions}>
      {candidates.map((candidate, each) => (
        <div
          key={candidate.key}
          id={optionId(listId, each)}
          class="completion-option"
          role="option"
          tabIndex={-1}
          aria-selected={each === index}
          // Not on click: the field would lose the focus first.
          onPointerDown={(event) => {
            event.preventDefault()
            choose(candidate)
          }}
        >
          {candidate.user && <Picture of={candidate.user} kind="users" />}
          <bdi class="cut">{candidate.text}</bdi>
          {candidate.note && <span class="muted cut">{candidate.note}</span>}
        </div>
      ))}
    </div>
  )
}
