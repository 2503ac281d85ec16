/** Options of `buildView`. */
export interface BuildViewOptions {
  /** Where to write the page; its folder is created. Its source map is written beside it. Default: nothing is written. */
  readonly outFile?: string
  /** The bundler. Default: Vite if the project has it, otherwise rolldown. */
  readonly bundler?: 'vite' | 'rolldown'
  /** More plugins of the bundler, for instance of a framework. With Vite, those of the project's configuration are used anyway. */
  readonly plugins?: readonly object[]
  /** True to shorten the code. Default: true. */
  readonly minify?: boolean
  /** True to create a source map. Default: false. */
  readonly sourcemap?: boolean
  /** Maximum size of a file that becomes a part of the page, such as an image. Default: 100 KB. */
  readonly maxAssetBytes?: number
}

/** A view in one file. */
export interface BuiltView {
  /** The page: it loads nothing else. */
  readonly html: string
  /** The source map of the script, as JSON, with the option `sourcemap`. */
  readonly map?: string
  /** The warnings of the bundler. */
  readonly warnings: readonly string[]
}
