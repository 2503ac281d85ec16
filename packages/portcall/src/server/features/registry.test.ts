import { describe, expect, it, vi } from 'vitest'
import { createEntry, createRegistry, type RegistryEntry } from './registry.ts'

type Definition = { title: string }

const entry = (definition: Definition): RegistryEntry<Definition> => createEntry(definition, {})
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

describe('a registry', () => {
  it('announces all changes of a tick once', async () => {
    const onChange = vi.fn()
    const registry = createRegistry<Definition, RegistryEntry<Definition>>((_, definition) => entry(definition), onChange)
    for (let index = 0; index < 100; index++) registry.add(`item ${index}`, entry({ title: 'x' }))
    await tick()
    expect(onChange).toHaveBeenCalledTimes(1)
    registry.items.disable('item 1')
    registry.items.disable('item 1')
    registry.items.remove('item 2')
    registry.items.update('item 3', { title: 'new' })
    await tick()
    expect(onChange).toHaveBeenCalledTimes(2)
    expect(registry.entries()).toHaveLength(98)
    expect(registry.get('item 1')).toBeUndefined()
    expect(registry.get('item 3')?.definition.title).toBe('new')
  })

  it('announces nothing when nothing changes', async () => {
    const onChange = vi.fn()
    const registry = createRegistry<Definition, RegistryEntry<Definition>>((_, definition) => entry(definition), onChange)
    expect(registry.items.remove('unknown')).toBe(false)
    await tick()
    expect(onChange).not.toHaveBeenCalled()
  })

  it('does not enable a disabled item when it is updated', () => {
    const registry = createRegistry<Definition, RegistryEntry<Definition>>(
      (_, definition) => entry(definition),
      () => {},
    )
    registry.add('a', entry({ title: 'old' }))
    registry.items.disable('a')
    registry.items.update('a', { title: 'new' })
    expect(registry.get('a')).toBeUndefined()
    registry.items.enable('a')
    expect(registry.get('a')?.definition.title).toBe('new')
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('X11 treats %s as an ordinary name', (name) => {
    const registry = createRegistry<Definition, RegistryEntry<Definition>>(
      (_, definition) => entry(definition),
      () => {},
    )
    expect(registry.get(name)).toBeUndefined()
    expect(registry.items.has(name)).toBe(false)
    registry.add(name, entry({ title: 'mine' }))
    expect(registry.get(name)?.definition.title).toBe('mine')
    expect(() => registry.add(name, entry({ title: 'again' }))).toThrow('already registered')
  })
})
