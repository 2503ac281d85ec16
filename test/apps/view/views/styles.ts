import { applyDefaultStyles, connectApp } from 'portcall/apps'

applyDefaultStyles()
await connectApp({ name: 'view', version: '1' })
document.body.dataset.ready = 'true'
