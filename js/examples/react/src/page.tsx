import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';

const root = document.getElementById('root')!;
const app = <StrictMode><App /></StrictMode>;

if (root.childElementCount > 0) hydrateRoot(root, app);
else createRoot(root).render(app); // by the development server nothing is rendered before
