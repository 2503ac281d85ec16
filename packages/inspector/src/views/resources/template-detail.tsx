import type { JSX } from 'preact'
import { SchemaForm } from '../../form/form.tsx'
import { expandTemplate, templateVariables } from '../../lib/uri-template.ts'
import { isObject } from '../../schema/schema.ts'
import { complete } from '../../state/complete.ts'
import { draft } from '../../state/drafts.ts'
import type { InspectorServer, ResourceTemplate } from '../../state/protocol.ts'
import { Badge } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { ReadResource } from './resource-detail.tsx'

/** A resource template: inputs for its variables, with suggestions of the server, and the address that they make. */
export function TemplateDetail({ server, template }: { server: InspectorServer; template: ResourceTemplate }): JSX.Element {
  const { uriTemplate, name, title, description, mimeType } = template
  const values = draft<Record<string, string>>(`template ${server.id} ${uriTemplate}`, () => ({}))
  const variables = templateVariables(uriTemplate)
  const schema = { type: 'object', properties: Object.fromEntries(variables.map((variable) => [variable, { type: 'string' }])) }
  const uri = expandTemplate(uriTemplate, values.value)
  return (
    <>
      <header class="stack tight">
        <div class="detail-title">
          <h2>
            <Untrusted text={title ?? name} />
          </h2>
          <Badge>template</Badge>
          {mimeType && <Badge>{mimeType}</Badge>}
        </div>
        <p class="mono muted">
          <Untrusted text={uriTemplate} />
        </p>
        {description && (
          <p class="description">
            <Untrusted text={description} />
          </p>
        )}
      </header>
      <SchemaForm
        id={`template-${name}`}
        schema={schema}
        value={values.value}
        onChange={(next) => {
          values.value = textsOf(next)
        }}
        suggest={(variable, value, signal) =>
          complete(
            server.id,
            { ref: { type: 'ref/resource', uri: uriTemplate }, name: variable, value, context: others(values.value, variable) },
            signal,
          )
        }
      />
      <p class="expanded">
        <span class="muted">Address</span>{' '}
        <code>
          <Untrusted text={uri} />
        </code>
      </p>
      <ReadResource server={server} uri={uri} />
    </>
  )
}

/** Returns the members of a form's value that are texts. */
export function textsOf(value: unknown): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** Returns the other arguments that are filled in, which completion may depend on. */
export function others(values: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => key !== name && value !== ''))
}
