import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { formatBytes } from '../../lib/format.ts'
import { copyText, saveFile } from '../../state/actions.ts'
import type { ContentBlock, ResourceContents, ResourceLink } from '../../state/protocol.ts'
import { go } from '../../state/route.ts'
import { Badge, Button, Callout, IconButton } from '../../ui/basics.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Code, Json } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { Markdown } from './markdown.tsx'

/** A part of a result, shown as what it is. */
export function Content({ block, serverId }: { block: ContentBlock; serverId: string }): JSX.Element {
  switch (block.type) {
    case 'text':
      return <TextBlock text={block.text} />
    case 'image':
      return <Picture mimeType={block.mimeType} data={block.data} />
    case 'audio':
      return <Sound mimeType={block.mimeType} data={block.data} />
    case 'resource_link':
      return <LinkCard link={block} serverId={serverId} />
    case 'resource':
      return <ResourceView contents={block.resource} />
    default:
      return <Json value={block} label="content" />
  }
}

const MARKDOWN = /^#{1,6} |^[ \t]*[-*] |\*\*[^*]+\*\*|```|\[[^[\]]+\]\([^()]+\)|^\|.+\|$/m

/** Text, as it is or as Markdown. */
export function TextBlock({ text, markdown = MARKDOWN.test(text) }: { text: string; markdown?: boolean }): JSX.Element {
  const view = useSignal<'text' | 'markdown'>('text')
  return (
    <div class="content-block">
      <div class="content-actions">
        {markdown && (
          <button
            type="button"
            class="toggle"
            aria-pressed={view.value === 'markdown'}
            onClick={() => (view.value = view.value === 'text' ? 'markdown' : 'text')}
          >
            Markdown
          </button>
        )}
        <IconButton icon="copy" label="Copy the text" onClick={() => void copyText(text)} />
      </div>
      {view.value === 'markdown' ? <Markdown text={text} /> : <PlainText text={text} />}
    </div>
  )
}

/** JSON in a text is laid out as such. */
function PlainText({ text }: { text: string }): JSX.Element {
  return isJson(text) ? (
    <Code text={text} label="text" copy={false} wrap />
  ) : (
    <p class="plain-text">
      <Untrusted text={text} />
    </p>
  )
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Types that browsers show in an `img` element, where scripts do not run and nothing is fetched. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/
const SOUNDS = /^audio\/[\w.+-]+$/

function Picture({ mimeType, data }: { mimeType: string; data: string }): JSX.Element {
  const size = useSignal('')
  if (!PICTURES.test(mimeType))
    return <Bytes mimeType={mimeType} data={data} note="The browser cannot show this kind of picture." />
  return (
    <figure class="content-block picture">
      <img
        src={`data:${mimeType};base64,${data}`}
        alt="From the server"
        onLoad={({ currentTarget }) => {
          size.value = `${currentTarget.naturalWidth} × ${currentTarget.naturalHeight}`
        }}
      />
      <figcaption>
        <Bytes mimeType={mimeType} data={data} note={size.value} />
      </figcaption>
    </figure>
  )
}

function Sound({ mimeType, data }: { mimeType: string; data: string }): JSX.Element {
  return (
    <div class="content-block">
      {/* biome-ignore lint/a11y/useMediaCaption: the server sends no captions */}
      {SOUNDS.test(mimeType) && <audio controls src={`data:${mimeType};base64,${data}`} />}
      <Bytes mimeType={mimeType} data={data} />
    </div>
  )
}

/** The type and the size of binary data, which can be saved. */
function Bytes({ mimeType, data, note = '' }: { mimeType: string; data: string; note?: string }): JSX.Element {
  const save = (): void => saveFile(`content.${extensionOf(mimeType)}`, 'application/octet-stream', bytesOf(data))
  return (
    <span class="bytes">
      <span class="mono">
        <Untrusted text={mimeType} />
      </span>
      <span>{formatBytes(Math.floor((data.length * 3) / 4))}</span>
      <span>{note}</span>
      <Button kind="quiet" icon="save" onClick={save}>
        Save
      </Button>
    </span>
  )
}

const extensionOf = (mimeType: string): string => /\/([a-z0-9]+)/i.exec(mimeType)?.[1] ?? 'bin'

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

function LinkCard({ link, serverId }: { link: ResourceLink; serverId: string }): JSX.Element {
  return (
    <div class="content-block link-card">
      <div>
        <strong>
          <Untrusted text={link.title ?? link.name} />
        </strong>{' '}
        <Badge>resource link</Badge>
        <p class="mono small-text">
          <Untrusted text={link.uri} />
        </p>
        {link.description && (
          <p class="muted">
            <Untrusted text={link.description} />
          </p>
        )}
      </div>
      <span class="toolbar">
        {/^https?:/.test(link.uri) && <ExternalLink url={link.uri}>Open</ExternalLink>}
        <Button onClick={() => go({ screen: 'resources', serverId, item: link.uri })}>Read</Button>
      </span>
    </div>
  )
}

/** The contents of a resource. A page of an MCP app is shown as its text, because it must not run here. */
export function ResourceView({ contents }: { contents: ResourceContents }): JSX.Element {
  const { uri, mimeType = '' } = contents
  return (
    <div class="content-block resource">
      <p class="content-title">
        <span class="mono">
          <Untrusted text={uri} />
        </span>
        {mimeType && <Badge>{mimeType}</Badge>}
      </p>
      {(uri.startsWith('ui:') || mimeType.startsWith('text/html')) && (
        <Callout title="This is a page of an MCP app.">
          <p>The inspector shows its source and does not run it.</p>
        </Callout>
      )}
      {'text' in contents ? (
        <ResourceText text={contents.text} mimeType={mimeType} />
      ) : (
        <Blob mimeType={mimeType} data={contents.blob} />
      )}
      {contents._meta && <Json value={contents._meta} label="_meta" />}
    </div>
  )
}

function ResourceText({ text, mimeType }: { text: string; mimeType: string }): JSX.Element {
  if (/html|xml|svg|javascript|css/.test(mimeType)) return <Code text={text} label="source" language="text" wrap />
  return mimeType === 'text/markdown' ? <TextBlock text={text} markdown /> : <TextBlock text={text} />
}

function Blob({ mimeType, data }: { mimeType: string; data: string }): JSX.Element {
  if (PICTURES.test(mimeType)) return <Picture mimeType={mimeType} data={data} />
  return SOUNDS.test(mimeType) ? (
    <Sound mimeType={mimeType} data={data} />
  ) : (
    <Bytes mimeType={mimeType || 'unknown type'} data={data} />
  )
}
