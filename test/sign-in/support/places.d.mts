export const FOLDER: string
export const CACHE: string
export const PYTHON: string
export const KEYCLOAK_VERSION: string
export const KEYCLOAK: string
