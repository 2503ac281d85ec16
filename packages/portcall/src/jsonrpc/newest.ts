/** Enters something as the newest of at most `most`; what has gone longest without being entered makes room. */
export function enterNewest<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
