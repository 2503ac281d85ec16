import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/** The folder of these tests. */
export const FOLDER = at('../')
/** The things that `prepare` has installed, except for the packages from npm. */
export const CACHE = at('../.cache/')
/** The interpreter with the packages of requirements.txt. */
export const PYTHON = at('../.venv/bin/python')
/** The version of Keycloak, and where it is. */
export const KEYCLOAK_VERSION = '26.7.3'
export const KEYCLOAK = `${CACHE}keycloak-${KEYCLOAK_VERSION}/`
