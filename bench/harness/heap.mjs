/** Preloaded into a Node server with `--import`: reports the used heap after a garbage collection on request. */
const COLLECTIONS = 4

process.on('message', () => {
  for (let turn = 0; turn < COLLECTIONS; turn++) globalThis.gc()
  process.send(process.memoryUsage().heapUsed)
})
process.channel.unref()
