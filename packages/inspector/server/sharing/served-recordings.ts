import type { ListeningServer } from 'portcall/node'

/** Recordings that clients can connect to, each at a URL on loopback. */
export interface ServedRecordings {
  /** Serves a recording. Returns its URL. */
  start(id: string, text: string): Promise<string>
  stop(id: string): Promise<void>
  close(): Promise<void>
}

/** Creates the list, which is empty. */
export function createServedRecordings(): ServedRecordings {
  const servers = new Map<string, ListeningServer>()
  const stop = async (id: string): Promise<void> => {
    const server = servers.get(id)
    servers.delete(id)
    await server?.close()
  }
  return {
    async start(id, text) {
      const { serveRecording } = await import('portcall/diagnostics')
      const { serve } = await import('portcall/node')
      await stop(id)
      const server = await serve(serveRecording(text), { port: 0, handleProcessSignals: false, drainTimeoutMs: 500 })
      servers.set(id, server)
      return server.url
    },
    stop,
    async close() {
      await Promise.all([...servers.keys()].map(stop))
    },
  }
}
