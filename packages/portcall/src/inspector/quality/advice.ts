/** What to change, by the name of the rule. */
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
  'output-schema': 'Correct the schema. It has to be valid JSON Schema with the type "object".',
  'input-schema-root': 'Use an object with properties at the root, and move the alternatives into a property.',
  'input-schema-subset': 'Use type, properties, items, enum, anyOf and required where possible.',
  'argument-name': 'Use letters, digits, _, . and - only, at most 64.',
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
}

/** Returns what to change when a rule reports something. */
export const adviceOf = (rule: string): string => ADVICE[rule] ?? 'Correct it.'
