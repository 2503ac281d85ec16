/** Values of style variables, by name. */
export type HostVariables = { readonly [name: string]: string }

/** Colors in light and in dark, by the name behind `--color-`. */
export type ColorPairs = { readonly [name: string]: readonly [light: string, dark: string] }

/** Returns the variables of a host, for both themes. The names of `others` are without their dashes; `toColor` turns a color into one of CSS. */
export function hostVariables(
  colors: ColorPairs,
  others: HostVariables = {},
  toColor = (color: string): string => color,
): HostVariables {
  const both = Object.entries(colors).map(([name, [light, dark]]) => [
    `--color-${name}`,
    `light-dark(${toColor(light)}, ${toColor(dark)})`,
  ])
  return Object.fromEntries([...both, ...Object.entries(others).map(([name, value]) => [`--${name}`, value])])
}
