import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Problem } from '../schema/problems.ts'
import type { Path } from '../schema/value.ts'

/** The key of a place in a value. */
export const placeOf = (path: Path): string => JSON.stringify(path)

/** The problems of the value of a form, and the decision to send it. */
export interface FormChecks {
  /** The problems of the value, and of the texts in inputs that are no values. */
  readonly problems: readonly Problem[]
  /** Set once someone has tried to send the value: the form then points at what is missing. */
  readonly showMissing: boolean
  /** Set when these problems were pointed at, so that the next try sends the value all the same. */
  readonly isWarned: boolean
  /** The places whose inputs hold a text that is not a part of the value. */
  readonly unsent: ReadonlySet<string>
  /** The element whose first problem gets the focus. */
  readonly element: RefObject<HTMLDivElement | null>
  /** Sets what is wrong with the text of an input, or that nothing is. */
  report(path: Path, text: InputProblem | undefined): void
  /** Reports whether to send the value. Otherwise, points at the problems, and puts the focus on the first one. */
  confirm(): boolean
}

/** A problem with the text of an input. */
export interface InputProblem {
  readonly message: string
  /** Set if the text is not a part of the value. */
  readonly isUnsent: boolean
}

/**
 * Returns the checks of a form. The first try to send a value with problems points at them. The second one sends the value, to see what the
 * server makes of it; if there are other problems by then, it points at those.
 */
export function useFormChecks(ofValue: readonly Problem[]): FormChecks {
  const texts = useSignal<ReadonlyMap<string, InputProblem>>(new Map())
  const warned = useSignal<string | undefined>(undefined)
  const tries = useSignal(0)
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (tries.value > 0) focusFirstProblem(element.current)
  }, [tries.value])
  const ofTexts = [...texts.value].map(([place, { message }]): Problem => ({ path: JSON.parse(place) as Path, message }))
  const problems = [...ofValue.filter(({ path }) => !texts.value.has(placeOf(path))), ...ofTexts]
  const current = JSON.stringify(problems)
  return {
    problems,
    showMissing: warned.value !== undefined,
    isWarned: problems.length > 0 && warned.value === current,
    unsent: new Set([...texts.value].filter(([, { isUnsent }]) => isUnsent).map(([place]) => place)),
    element,
    report(path, text) {
      const next = new Map(texts.peek())
      if (text) next.set(placeOf(path), text)
      else if (!next.delete(placeOf(path))) return
      texts.value = next
    },
    confirm() {
      if (problems.length === 0 || warned.value === current) return true
      warned.value = current
      tries.value++
      return false
    },
  }
}

function focusFirstProblem(element: HTMLElement | null): void {
  const field = element?.querySelector('[data-problem]')
  field?.querySelector<HTMLElement>(':is(input, select, textarea):not([disabled])')?.focus()
  if (field && !field.contains(document.activeElement)) field.querySelector<HTMLElement>('button')?.focus()
}

/** Reports what is wrong with the text of an input while the input is there. */
export function useInputProblem(report: FormChecks['report'], path: Path, problem: InputProblem | undefined): void {
  const place = placeOf(path)
  useEffect(() => {
    report(path, problem)
    return () => report(path, undefined)
  }, [place, problem?.message, problem?.isUnsent])
}
