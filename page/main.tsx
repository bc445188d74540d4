/** The page begins. */
import { render } from 'preact';
import { App } from './app.tsx';
import { begin } from './model.ts';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
begin();
