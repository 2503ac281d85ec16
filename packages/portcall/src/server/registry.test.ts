import { describe, expect, it, vi } from 'vitest'
import { createRegistry, type Entry } from './registry.ts'

const entry = (definition: { title: string }): Entry<{ title: string }> => ({ definition, enabled: true, order: 0 })
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

describe('a registry', () => {
  it('makes one announcement of all changes of a tick', async () => {
    const onChange = vi.fn()
    const registry = createRegistry<{ title: string }, Entry<{ title: string }>>((_, definition) => entry(definition), onChange)
    for (let index = 0; index < 100; index++) registry.add(`item ${index}`, entry({ title: 'x' }))
    await tick()
    expect(onChange).toHaveBeenCalledTimes(1)
    registry.items.disable('item 1')
    registry.items.disable('item 1')
    registry.items.remove('item 2')
    registry.items.update('item 3', { title: 'new' })
    await tick()
    expect(onChange).toHaveBeenCalledTimes(2)
    expect(registry.offered()).toHaveLength(98)
    expect(registry.get('item 1')).toBeUndefined()
    expect(registry.get('item 3')?.definition.title).toBe('new')
  })

  it('announces nothing when nothing changes', async () => {
    const onChange = vi.fn()
    const registry = createRegistry<{ title: string }, Entry<{ title: string }>>((_, definition) => entry(definition), onChange)
    expect(registry.items.remove('nobody')).toBe(false)
    await tick()
    expect(onChange).not.toHaveBeenCalled()
  })

  it('keeps what is disabled disabled when it is updated', () => {
    const registry = createRegistry<{ title: string }, Entry<{ title: string }>>(
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

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('X11 takes %s for an ordinary name', (name) => {
    const registry = createRegistry<{ title: string }, Entry<{ title: string }>>(
      (_, definition) => entry(definition),
      () => {},
    )
    expect(registry.get(name)).toBeUndefined()
    expect(registry.items.has(name)).toBe(false)
    registry.add(name, entry({ title: 'mine' }))
    expect(registry.get(name)?.definition.title).toBe('mine')
    expect(() => registry.add(name, entry({ title: 'again' }))).toThrow('registered already')
  })
})
