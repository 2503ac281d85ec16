import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { isObject } from '../../schema/schema.ts'
import { jsonText, parseText } from '../../schema/value.ts'
import type { OperationOptions } from '../../state/protocol.ts'
import { Labeled, Pairs } from '../connect/settings-form.tsx'

type Options = OperationOptions & { asTask?: boolean }

interface RequestOptionsProps {
  readonly id: string
  readonly options: Options
  readonly onChange: (options: Options) => void
  readonly canBeTask?: boolean
}

/** `_meta`, headers, timeouts and repetition of a request. */
export function RequestOptions({ id, options, onChange, canBeTask = false }: RequestOptionsProps): JSX.Element {
  const set = (change: { readonly [Key in keyof Options]: Options[Key] | undefined }): void => {
    const merged: Options = Object.fromEntries(
      Object.entries({ ...options, ...change }).filter(([, value]) => value !== undefined),
    )
    onChange(merged)
  }
  const { repeat } = options
  const setRepeat = (change: Partial<NonNullable<OperationOptions['repeat']>>): void => {
    const next = { count: 1, ...repeat, ...change }
    set({ repeat: next.count > 1 ? next : undefined })
  }
  return (
    <div class="settings-form">
      <MetaInput id={id} meta={options.meta} onChange={(meta) => set({ meta })} />
      <Pairs
        id={`${id}-headers`}
        title="HTTP headers"
        item="header"
        pairs={options.headers ?? {}}
        onChange={(headers) => set({ headers })}
      />
      <Labeled label="Timeout in milliseconds" id={`${id}-timeout`}>
        <input
          id={`${id}-timeout`}
          inputMode="numeric"
          value={options.timeouts?.requestTimeoutMs ?? ''}
          onInput={(event) =>
            set({
              timeouts: Number(event.currentTarget.value) ? { requestTimeoutMs: Number(event.currentTarget.value) } : undefined,
            })
          }
        />
      </Labeled>
      <Labeled label="Repeat" id={`${id}-repeat`}>
        <input
          id={`${id}-repeat`}
          inputMode="numeric"
          value={repeat?.count ?? 1}
          onInput={(event) => setRepeat({ count: Number(event.currentTarget.value) || 1 })}
        />
      </Labeled>
      {repeat && (
        <>
          <Labeled label="At most per second" id={`${id}-rate`}>
            <input
              id={`${id}-rate`}
              inputMode="numeric"
              placeholder="No limit"
              value={repeat.perSecond ?? ''}
              onInput={(event) => setRepeat({ perSecond: Number(event.currentTarget.value) || 0 })}
            />
          </Labeled>
          <Labeled label="At the same time" id={`${id}-concurrency`}>
            <input
              id={`${id}-concurrency`}
              inputMode="numeric"
              value={repeat.concurrency ?? 1}
              onInput={(event) => setRepeat({ concurrency: Number(event.currentTarget.value) || 1 })}
            />
          </Labeled>
        </>
      )}
      {canBeTask && (
        <label class="check wide">
          <input
            type="checkbox"
            checked={options.asTask === true}
            onChange={(event) => set({ asTask: event.currentTarget.checked || undefined })}
          />
          <span>Do not wait if the call becomes a task</span>
        </label>
      )}
    </div>
  )
}

function MetaInput({
  id,
  meta,
  onChange,
}: {
  id: string
  meta: OperationOptions['meta']
  onChange: (meta: OperationOptions['meta']) => void
}): JSX.Element {
  const text = useSignal(jsonText(meta))
  const parsed = parseText(text.value)
  const isWrong = !parsed.ok || (parsed.value !== undefined && !isObject(parsed.value))
  const change = (next: string): void => {
    text.value = next
    const result = parseText(next)
    onChange(result.ok && isObject(result.value) ? result.value : undefined)
  }
  return (
    <div class="wide">
      <Labeled label="_meta" id={`${id}-meta`}>
        <textarea
          id={`${id}-meta`}
          class="mono"
          rows={2}
          placeholder='{ "key": "value" }'
          spellcheck={false}
          aria-invalid={isWrong}
          value={text.value}
          onInput={(event) => change(event.currentTarget.value)}
        />
        {isWrong && <span class="field-problem">This is not a JSON object. It is not sent.</span>}
      </Labeled>
    </div>
  )
}
