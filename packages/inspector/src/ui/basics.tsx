import type { ComponentChildren, JSX } from 'preact'
import type { InspectorFailure } from '../state/protocol.ts'
import { Icon, type IconName } from './icon.tsx'
import { Untrusted } from './untrusted.tsx'

interface ButtonProps {
  readonly children?: ComponentChildren
  readonly onClick?: (event: MouseEvent) => void
  readonly icon?: IconName
  readonly kind?: 'primary' | 'plain' | 'quiet'
  readonly disabled?: boolean
  readonly type?: 'button' | 'submit'
  readonly title?: string
  readonly pressed?: boolean
  readonly class?: string
  readonly form?: string
}

/** A button with a text. */
export function Button({
  children,
  icon,
  kind = 'plain',
  type = 'button',
  pressed,
  class: extra = '',
  ...rest
}: ButtonProps): JSX.Element {
  return (
    <button {...rest} type={type} aria-pressed={pressed} class={`button ${kind} ${extra}`}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon' | 'title'> {
  readonly icon: IconName
  /** The effect of the button, for screen readers and as its tooltip. */
  readonly label: string
}

/** A button that is only an icon. */
export function IconButton({
  icon,
  label,
  kind = 'quiet',
  type = 'button',
  pressed,
  class: extra = '',
  ...rest
}: IconButtonProps): JSX.Element {
  return (
    <button
      {...rest}
      type={type}
      aria-pressed={pressed}
      aria-label={label}
      title={label}
      class={`button icon-only ${kind} ${extra}`}
    >
      <Icon name={icon} />
    </button>
  )
}

/** How good or bad something is. */
export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent'

/** A short fact next to a title. */
export function Badge({
  tone = 'neutral',
  title,
  children,
}: {
  tone?: Tone
  title?: string
  children: ComponentChildren
}): JSX.Element {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  )
}

/** A message that belongs to a place of the page. */
export function Callout({
  tone = 'neutral',
  title,
  children,
}: {
  tone?: Tone
  title?: ComponentChildren
  children?: ComponentChildren
}): JSX.Element {
  const icon: IconName = tone === 'bad' ? 'error' : tone === 'warn' ? 'warning' : tone === 'good' ? 'check' : 'info'
  return (
    <div class={`callout ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon name={icon} />
      <div class="callout-body">
        {title && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  )
}

/** Shows a failure with its code, its hint and its evidence. */
export function Failure({ failure, title }: { failure: InspectorFailure; title?: string }): JSX.Element {
  const facts = [
    failure.code,
    failure.httpStatus && `HTTP ${failure.httpStatus}`,
    failure.rpcCode !== undefined && `JSON-RPC ${failure.rpcCode}`,
  ]
  return (
    <Callout tone="bad" title={title ?? <Untrusted text={failure.message} />}>
      {title && (
        <p>
          <Untrusted text={failure.message} />
        </p>
      )}
      {failure.hint && <p>{failure.hint}</p>}
      <p class="facts">{facts.filter(Boolean).join(' · ')}</p>
      {failure.data !== undefined && (
        <pre class="code wrap">
          <Untrusted text={typeof failure.data === 'string' ? failure.data : JSON.stringify(failure.data, null, 2)} />
        </pre>
      )}
    </Callout>
  )
}

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}

/** The content of a screen that has nothing to show: why, and what to do. */
export function Empty({ icon, title, children, action }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2 class="small-title">{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}

/** A moving mark that something is going on. */
export function Spinner({ label = 'Working' }: { label?: string }): JSX.Element {
  return <span class="spinner" role="img" aria-label={label} />
}

/** Names and values, one a line. */
export function Facts({
  items,
}: {
  items: readonly (readonly [name: string, value: ComponentChildren] | false | undefined)[]
}): JSX.Element {
  return (
    <dl class="fact-list">
      {items.map(
        (item) =>
          item && (
            <div key={item[0]}>
              <dt>{item[0]}</dt>
              <dd>{item[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** A part of a screen that can be folded. */
export function Fold({
  title,
  open,
  children,
  extra,
}: {
  title: ComponentChildren
  open?: boolean
  children: ComponentChildren
  extra?: ComponentChildren
}): JSX.Element {
  return (
    <details class="fold" open={open}>
      <summary>
        <Icon name="chevron" />
        <span>{title}</span>
        {extra}
      </summary>
      <div class="fold-body">{children}</div>
    </details>
  )
}
