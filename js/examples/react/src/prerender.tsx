/** Renders the application in Node, into the page that was built for browsers. */

import { readFile, writeFile } from 'node:fs/promises';
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { App } from './app.tsx';

const page = 'dist/index.html';
const html = await readFile(page, 'utf8');
await writeFile(page, html.replace('<!--rendered-->', renderToString(<StrictMode><App /></StrictMode>)));
