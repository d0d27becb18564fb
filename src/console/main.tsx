import './styles/index.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './app.tsx'
import { language } from './lib/i18n.ts'
import { startRouter } from './lib/router.ts'

effect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en'
})
startRouter()
const root = document.getElementById('app')
if (root) {
  root.replaceChildren()
  render(<App />, root)
}
