import './styles/index.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { startRouter } from './lib/router.ts'

startRouter()
const root = document.getElementById('app')
if (root) {
  root.replaceChildren()
  render(<App />, root)
}
