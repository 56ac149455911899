/** The default theme, with diagrams, and with a sidebar that shows the current page. */
import { type Theme, useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { nextTick, onMounted, watch } from 'vue';

import { MermaidDiagram } from './MermaidDiagram.js';
import '../../../src/theme.css';
import './style.css';
import './landing.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('MermaidDiagram', MermaidDiagram);
  },
  setup: () => {
    const route = useRoute();
    onMounted(() => {
      watch(() => route.path, scrollSidebar, { immediate: true });
    });
  },
} satisfies Theme;

/** Scrolls the sidebar until the current page is in its middle. */
async function scrollSidebar(): Promise<void> {
  await nextTick();
  const sidebar = document.querySelector('.VPSidebar');
  const active = sidebar?.querySelector('.is-link.is-active > .item');
  if (!sidebar || !active) return;
  const { top, bottom } = active.getBoundingClientRect();
  if (top < 0 || bottom > window.innerHeight) sidebar.scrollTop += top - window.innerHeight / 2;
}
