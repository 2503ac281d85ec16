import type { JSX } from 'preact'
import { notify, run } from '../../state/actions.ts'
import type { QuestionAnswer, SavedAnswer } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'
import { Menu } from '../../ui/menu.tsx'

interface SaveAnswerProps {
  readonly kind: SavedAnswer['kind']
  readonly answer: QuestionAnswer
  readonly serverId: string
  /** The text of the question, by which the answer is found again. */
  readonly text: string
}

const MAX_TEXT = 80

/** Keeps an answer, to offer it or to give it by itself the next time that the server asks the same. */
export function SaveAnswer({ kind, answer, serverId, text }: SaveAnswerProps): JSX.Element | null {
  const save = async (automatic: boolean): Promise<void> => {
    const saved = await run('save-answer', { answer: { kind, serverId, contains: text.slice(0, MAX_TEXT), answer, automatic } })
    if (saved) notify(automatic ? 'Questions with this text will be answered by themselves.' : 'The answer is saved.')
  }
  const offered = store.answers.value.filter(
    (saved) => saved.kind === kind && !saved.automatic && text.includes(saved.contains ?? ''),
  )
  return (
    <Menu
      label="Save this answer"
      kind="quiet"
      items={[
        { id: 'offer', label: 'Offer it next time', onSelect: () => void save(false), disabled: offered.length > 0 },
        { id: 'automatic', label: 'Always answer like this', onSelect: () => void save(true) },
      ]}
    />
  )
}
