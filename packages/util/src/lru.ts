/** Sets an entry as the most recently used one, and evicts the least recently set entries beyond `maxEntries`. */
export function setLru<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], maxEntries: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= maxEntries) return
    map.delete(oldest)
  }
}
