/** Loaded in front of a Node server by `--import`: tells on request how much heap is in use after garbage was collected. */
const COLLECTIONS = 4

process.on('message', () => {
  for (let turn = 0; turn < COLLECTIONS; turn++) globalThis.gc()
  process.send(process.memoryUsage().heapUsed)
})
process.channel.unref()
