import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import type { FormContext } from './field-props.ts'

interface SuggestingInputProps {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
  readonly autocomplete: string
  readonly spellcheck: boolean
  readonly placeholder: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** The name of the argument. */
  readonly name: string
  /** Asks the server for suggestions. */
  readonly suggest: FormContext['suggest'] | undefined
  /** Suggestions that the schema lists. */
  readonly fixed: readonly string[]
}

/** How long a pause in typing is before the server is asked. */
const PAUSE_MS = 200

/** A text with suggestions of the server (completion): asked for after a pause, and dropped when more has been typed since. */
export function SuggestingInput({ name, suggest, fixed, onChange, value, ...rest }: SuggestingInputProps): JSX.Element {
  const listId = useId()
  const found = useSignal<readonly string[]>(fixed)
  const isFocused = useSignal(false)
  const active = useSignal(-1)
  const isOpen = useSignal(false)

  useEffect(() => {
    if (!suggest || !isFocused.value) return
    const controller = new AbortController()
    const timer = setTimeout(async () => {
      const values = await suggest(name, value, controller.signal).catch((): readonly string[] => [])
      if (!controller.signal.aborted) found.value = values
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [value, isFocused.value])

  const options = suggest ? found.value : fixed.filter((option) => option.toLowerCase().includes(value.toLowerCase()))
  const shown = isOpen.value && options.length > 0 && !(options.length === 1 && options[0] === value)
  const choose = (option: string): void => {
    onChange(option)
    isOpen.value = false
    active.value = -1
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      isOpen.value = true
      const step = event.key === 'ArrowDown' ? 1 : -1
      active.value = options.length === 0 ? -1 : (active.value + step + options.length) % options.length
    } else if (event.key === 'Escape' && shown) {
      event.stopPropagation()
      isOpen.value = false
    } else if (event.key === 'Enter' && shown && active.value >= 0) {
      event.preventDefault()
      choose(options[active.value] ?? value)
    }
  }
  return (
    <span class="combobox">
      <input
        {...rest}
        type="text"
        role="combobox"
        aria-expanded={shown}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={shown && active.value >= 0 ? `${listId}-${active.value}` : undefined}
        value={value}
        onFocus={() => {
          isFocused.value = true
        }}
        onBlur={() => {
          isFocused.value = false
          isOpen.value = false
        }}
        onInput={(event) => {
          isOpen.value = true
          active.value = -1
          onChange(event.currentTarget.value)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={`Suggestions for ${name}`} class="options" hidden={!shown}>
        {options.slice(0, 100).map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
          <div
            key={option}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active.value}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
          >
            {option}
          </div>
        ))}
      </div>
    </span>
  )
}
