/** Returns a function that computes the value of an object the first time, and keeps it as long as the object exists. */
export function oncePer<K extends object, V extends object>(compute: (key: K) => V): (key: K) => V {
  const values = new WeakMap<K, V>()
  return (key) => {
    let value = values.get(key)
    if (!value) {
      value = compute(key)
      values.set(key, value)
    }
    return value
  }
}
