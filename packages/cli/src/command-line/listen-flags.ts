/** Options of the commands that listen for HTTP clients. */
export const LISTEN_FLAGS = {
  port: { type: 'string', short: 'p', value: 'PORT', description: 'Port to listen on (default: 3000; 0: any free port)' },
  host: {
    type: 'string',
    value: 'ADDRESS',
    description: 'Address to listen on (default: 127.0.0.1); other addresses require --allow-host',
  },
  path: { type: 'string', value: 'PATH', description: 'Path of the endpoint (default: /mcp)' },
  'allow-host': {
    type: 'string',
    multiple: true,
    value: 'NAME',
    description: 'Accept this host name in the Host header; repeatable',
  },
  'allow-origin': {
    type: 'string',
    multiple: true,
    value: 'ORIGIN',
    description: 'Accept requests of web pages of this origin; repeatable',
  },
} as const

/** The option `--port` of the commands that have no configuration file. */
export const PORT_FLAG = {
  ...LISTEN_FLAGS.port,
  description: 'Port to listen on (default: the variable PORT, or else 3000; 0: any free port)',
} as const

/** The option of the commands that serve over HTTP or stdio. */
export const STDIO_FLAG = { type: 'boolean', description: 'Serve over stdin and stdout instead of HTTP' } as const
