import { type DefaultTreeAdapterTypes, parse } from 'parse5'

/** A part of the text of a page. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** An element of a page, with its place in the text. */
export interface PageElement extends Range {
  /** The name, in lower case. */
  readonly name: string
  /** The decoded values by name; `xlink:href` keeps its prefix. */
  readonly attributes: ReadonlyMap<string, string>
  /** The text between the tags. */
  readonly content: Range & { readonly text: string }
  /** True in a `<template>`, whose scripts do not run. */
  readonly isInert: boolean
  /** Returns the place of an attribute. */
  rangeOf(attribute: string): Range
}

/** A parsed page. */
export interface PageDocument {
  readonly html: string
  /** The elements that the text has tags of, in order. */
  readonly elements: readonly PageElement[]
  /** Where the content of the head starts and ends. */
  readonly headStart: number
  readonly headEnd: number
  /** Where the content of the body starts and ends. */
  readonly bodyStart: number
  readonly bodyEnd: number
}

type Element = DefaultTreeAdapterTypes.Element
type Node = DefaultTreeAdapterTypes.Node

/** Parses a page as browsers do: comments, raw text and quoted attributes are what the HTML standard says. */
export function parsePage(html: string): PageDocument {
  const nodes = nodesOf(parse(html, { sourceCodeLocationInfo: true }))
  const elements = nodes.flatMap(({ node, isInert }) => ('tagName' in node ? (readElement(node, html, isInert) ?? []) : []))
  const find = (name: string): Element | undefined =>
    nodes.find(({ node }) => node.nodeName === name)?.node as Element | undefined
  const doctype = nodes.find(({ node }) => node.nodeName === '#documentType')?.node.sourceCodeLocation
  const parts = { root: find('html'), head: find('head'), body: find('body') }
  elements.sort((one, other) => one.start - other.start)
  return { html, elements, ...placesOf(parts, html, doctype?.endOffset ?? 0) }
}

interface PageNode {
  readonly node: Node
  /** True in a `<template>` that is no shadow root. */
  readonly isInert: boolean
}

function nodesOf(document: Node): readonly PageNode[] {
  const nodes: PageNode[] = []
  const pending: PageNode[] = [{ node: document, isInert: false }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, isInert } = next
    nodes.push(next)
    const isTemplate = 'content' in node
    const children = isTemplate ? node.content.childNodes : 'childNodes' in node ? node.childNodes : []
    const isInertBelow = isInert || (isTemplate && !node.attrs.some(({ name }) => name === 'shadowrootmode'))
    for (const child of children.toReversed()) pending.push({ node: child, isInert: isInertBelow })
  }
  return nodes
}

interface Parts {
  readonly root: Element | undefined
  readonly head: Element | undefined
  readonly body: Element | undefined
}

type Places = Omit<PageDocument, 'html' | 'elements'>

/** Returns where elements can be added. Tags of the head and the body may be left out. */
function placesOf({ root, head, body }: Parts, html: string, afterDoctype: number): Places {
  const [inRoot, inHead, inBody] = [root, head, body].map((element) => element?.sourceCodeLocation)
  const rootStart = inRoot?.startTag?.endOffset ?? afterDoctype
  const headStart = inHead?.startTag?.endOffset ?? rootStart
  const headEnd = inHead?.endTag?.startOffset ?? lastEnd(head) ?? headStart
  const bodyStart = inBody?.startTag?.endOffset ?? Math.max(headEnd, inHead?.endOffset ?? 0)
  const bodyEnd = inBody?.endTag?.startOffset ?? inRoot?.endTag?.startOffset ?? html.length
  return { headStart, headEnd, bodyStart, bodyEnd }
}

/** Returns where the last child of an element ends. */
function lastEnd(element: Element | undefined): number | undefined {
  const ends = element?.childNodes.flatMap(({ sourceCodeLocation }) => sourceCodeLocation?.endOffset ?? []) ?? []
  return ends.length === 0 ? undefined : ends.reduce((last, end) => Math.max(last, end))
}

function readElement(element: Element, html: string, isInert: boolean): PageElement | undefined {
  const { tagName, attrs, sourceCodeLocation } = element
  if (!sourceCodeLocation) return undefined
  // A void element has no start tag of its own.
  const startTag = sourceCodeLocation.startTag ?? sourceCodeLocation
  // Without an end tag, the content ends with the last child.
  const end = sourceCodeLocation.endTag?.startOffset ?? lastEnd(element) ?? sourceCodeLocation.endOffset
  const content = { start: startTag.endOffset, end }
  return {
    name: tagName.toLowerCase(),
    attributes: new Map(attrs.map(({ name, value, prefix }) => [prefix ? `${prefix}:${name}` : name, value])),
    start: sourceCodeLocation.startOffset,
    end: sourceCodeLocation.endOffset,
    content: { ...content, text: html.slice(content.start, content.end) },
    isInert,
    rangeOf(attribute) {
      const place = sourceCodeLocation.attrs?.[attribute] ?? startTag
      return { start: place.startOffset, end: place.endOffset }
    },
  }
}

/** A change of the text of a page. */
export interface Edit extends Range {
  readonly text: string
}

/** Applies changes that do not overlap. Those at the same place stay in their order. */
export function applyEdits(html: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((one, other) => one.start - other.start || one.end - other.end)
  let end = 0
  const pieces: string[] = []
  for (const edit of ordered) {
    pieces.push(html.slice(end, edit.start), edit.text)
    end = edit.end
  }
  return [...pieces, html.slice(end)].join('')
}

/** Returns the tags of an element with the given attributes and raw text. */
export function printElement(name: string, attributes: ReadonlyMap<string, string>, text: string): string {
  const printed = [...attributes].map(([attribute, value]) => ` ${printAttribute(attribute, value)}`)
  return `<${name}${printed.join('')}>${text}</${name}>`
}

/** Returns an attribute as text. */
export function printAttribute(name: string, value: string): string {
  return value === '' ? name : `${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`
}
