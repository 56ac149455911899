/** The style of the pages. Colours, type and spacing come from theme.css. */
import { THEME } from '../../theme.js';

/** The style sheet. It loads nothing. */
export const STYLE = `${THEME}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:var(--normal)/1.5 var(--sans);overflow-wrap:anywhere}
header,main{max-width:46rem;margin:0 auto;padding:var(--gap-4)}
header{display:flex;flex-wrap:wrap;gap:var(--gap-2) var(--gap-4);justify-content:space-between;color:var(--soft);font-size:var(--small)}
a{color:var(--blue)}
bdi{white-space:pre-wrap}
:focus-visible{outline:3px solid var(--blue);outline-offset:2px}
h1{font-size:var(--huge);line-height:1.25;margin:var(--gap-2) 0 var(--gap-4)}
h2{font-size:var(--large);margin:var(--gap-5) 0 var(--gap-2)}
p{margin:var(--gap-2) 0}
.soft{color:var(--soft);font-size:var(--small)}
.card,.list li{background:var(--card);border:1px solid var(--line);border-radius:var(--corner);padding:var(--gap-4);margin:0 0 var(--gap-4)}
.list{list-style:none;margin:0;padding:0}
.list a{font-size:var(--large);font-weight:600;text-decoration:none}
.list a:hover{text-decoration:underline}
dl{margin:0}
dl div{padding:var(--gap-3) 0;border-top:1px solid var(--line)}
dl div:first-child{border-top:0}
dt{color:var(--soft);font-size:var(--small)}
dd{margin:var(--gap-1) 0 0}
.facts dd{font-family:var(--mono);background:var(--slate-faint);border-left:3px solid var(--slate);padding:var(--gap-2) var(--gap-3)}
.state{display:inline-block;border-radius:var(--corner);padding:0 var(--gap-3);font-size:var(--small);font-weight:600}
.pending{color:var(--amber);background:var(--amber-faint)}
.approved,.used{color:var(--green);background:var(--green-faint)}
.denied{color:var(--red);background:var(--red-faint)}
.over{color:var(--slate);background:var(--slate-faint)}
.note{border-left:4px solid var(--blue);background:var(--blue-faint);padding:var(--gap-3) var(--gap-4);border-radius:var(--corner);margin:0 0 var(--gap-4)}
.note.bad{border-color:var(--red);background:var(--red-faint)}
.note.good{border-color:var(--green);background:var(--green-faint)}
label{display:block;font-weight:600;margin-bottom:var(--gap-1)}
textarea{width:100%;min-height:5rem;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:var(--corner);padding:var(--gap-2)}
.buttons{display:flex;flex-wrap:wrap;gap:var(--gap-3);margin-top:var(--gap-4)}
button{font:inherit;font-weight:600;padding:var(--gap-3) var(--gap-5);border:1px solid transparent;border-radius:var(--corner);color:var(--on-role);background:var(--green);cursor:pointer;flex:1 1 10rem}
button.deny{color:var(--red);background:var(--card);border-color:var(--red)}
`;
