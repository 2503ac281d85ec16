/** The advice, by the name of the rule. */
const ADVICE: { readonly [rule: string]: string } = {
  instructions: 'Set instructions: a few sentences about when to use the server.',
  'tool-count': 'Offer fewer tools, or several servers. A gateway can select the tools of each user.',
  'tool-tokens': 'Shorten descriptions and schemas, or offer fewer tools.',
  'tool-twice': 'Rename one of them.',
  'prompt-twice': 'Rename one of them.',
  'tool-name': 'Rename the tool. Start with a letter; use only letters, digits, _ and -, at most 64.',
  'tool-name-length': 'Choose a shorter name.',
  'tool-description': 'Describe what the tool does and when to use it.',
  'tool-description-length': 'Shorten the description. Details belong in the descriptions of arguments.',
  'hidden-characters': 'Remove the character.',
  'input-schema': 'Correct the schema. It has to be valid JSON Schema with the type "object".',
  'output-schema': 'Correct the schema. It has to be valid JSON Schema.',
  'input-schema-root': 'Use an object with properties at the root, and move the alternatives into a property.',
  'input-schema-form':
    'Say what the items of arrays are, and write schemas as JSON Schema 2020-12: prefixItems for tuples, numbers as limits.',
  'input-schema-subset': 'Use type, properties, items, enum, anyOf and required where possible.',
  'argument-name': 'Use letters, digits, _, . and - only, at most 64.',
  'argument-description-length': 'Shorten the description of the argument.',
  'instructions-length': 'Shorten the instructions, and put what matters most first.',
  'added-argument': 'Let the tool ignore arguments that it does not know.',
  'result-halves': 'Put everything that the model needs into both, and return images from tools without an output schema.',
  'hyphen-replaced': 'Nothing, unless instructions or descriptions mention the tool: write _ there, too, or use no -.',
  'keywords-hidden': 'Repeat in the description of the argument what the model has to know.',
  'argument-description': 'Describe each argument, with its format and an example.',
  annotations: 'Correct the annotations.',
  'annotations-missing': 'Set readOnlyHint for tools that only read, otherwise destructiveHint.',
  'resource-uri': 'Use an absolute URI with a scheme.',
  'resource-type': 'Set mimeType.',
  'resource-description': 'Add a title or a description.',
  'template-uri': 'Start the template with a scheme, such as notes://.',
  'template-description': 'Add a title or a description.',
  'prompt-description': 'Add a title or a description.',
  'prompt-argument': 'Describe each argument.',
  'view-uri': 'Serve the page as a resource whose URI starts with ui://.',
  'view-missing': 'Return the page from resources/read, under the URI that the tool names.',
  'view-type': 'Set the mimeType text/html;profile=mcp-app, in resources/list and resources/read.',
  'view-handshake':
    'Send ui/initialize with appInfo, wait for the answer, then send ui/notifications/initialized. Libraries do it, such as portcall/apps.',
  'view-csp-key':
    'In ui.csp, write connectDomains, resourceDomains, frameDomains and baseUriDomains; in openai/widgetCSP, connect_domains, resource_domains and frame_domains.',
  'view-csp-source': 'Write a scheme and a host without a path, such as https://api.example.com or https://*.example.com.',
  'view-csp-place':
    'Put the key into _meta of the resource: of its contents in resources/read, and of its entry in resources/list.',
  'view-origin': 'Name the origin in this list, or make the file a part of the page.',
  'view-domain': 'Leave domain out, or compute it for each host. In Portcall: domain: "auto".',
  'view-same-uri': 'Put a hash of the page or a version into the URI, as in ui://server/view.html?v=1f3a. Portcall does so.',
  'view-eval':
    'Use a library or a build without it: the production build, a precompiled template, a validator without code generation.',
  'view-height':
    'Let the content decide the height, and report it with ui/notifications/size-changed. Libraries do it, such as portcall/apps.',
  'view-file': 'Bundle the page into one file, with its scripts, styles and images: portcall build, or a bundler.',
  'view-dev-client': 'Serve a production build, whose addresses are those of your server.',
  'view-size': 'Make the page smaller, or let it call a tool for what it shows later.',
  'view-hidden': 'Set visibility to model, app or both, or leave it out for both.',
  'view-key': 'Set _meta.ui.resourceUri.',
  'view-result-size': 'Return less, and let the view call a tool for the rest.',
  'view-text': 'Return a text in content that says the same.',
  'view-openai-csp': 'Declare the same origins in openai/widgetCSP. In Portcall: hosts: ["chatgpt"].',
}

/** Returns what to change when a rule reports something. */
export const adviceOf = (rule: string): string => ADVICE[rule] ?? 'Correct it.'
