import type { JSX } from 'preact'
import { fillTemplate, templateVariables } from '../../lib/uri-template.ts'
import { draft } from '../../state/drafts.ts'
import type { InspectorServer, ResourceTemplate } from '../../state/protocol.ts'
import { Badge } from '../../ui/basics.tsx'
import { Description, Untrusted } from '../../ui/untrusted.tsx'
import { TextForm } from '../shell/text-form.tsx'
import { ReadResource } from './resource-detail.tsx'

/** A resource template: inputs for its variables, with suggestions of the server, and the address that they make. */
export function TemplateDetail({ server, template }: { server: InspectorServer; template: ResourceTemplate }): JSX.Element {
  const { uriTemplate, name, title, description, mimeType } = template
  const values = draft<Record<string, string>>(`template ${server.id} ${uriTemplate}`, () => ({}))
  const variables = templateVariables(uriTemplate)
  const schema = { type: 'object', properties: Object.fromEntries(variables.map((variable) => [variable, { type: 'string' }])) }
  const uri = fillTemplate(uriTemplate, values.value)
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
        <Description text={description} />
      </header>
      <TextForm
        id={`template-${name}`}
        schema={schema}
        values={values}
        serverId={server.id}
        reference={{ type: 'ref/resource', uri: uriTemplate }}
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
