import { Converter } from 'typedoc'

/** Names the modules as they are imported: `auth-client` is `portcall/auth/client`. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const entryPoint of project.children ?? []) {
      entryPoint.name = entryPoint.name === 'index' ? 'portcall' : `portcall/${entryPoint.name.replace('-', '/')}`
    }
  })
}
