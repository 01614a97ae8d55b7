/** How the status page looks, on a phone and a desk, by day and by night. */
export const STYLE = `
:root{color-scheme:light dark;--back:#f5f6f8;--card:#fff;--text:#1c2330;--soft:#5b6473;--line:#d9dde4;--main:#1769d2;--on:#fff;--warn:#fff3d6;--warn-line:#c98a00;--good:#167a3e;--bad:#c4281c;--hold:#9a6700}
@media(prefers-color-scheme:dark){:root{--back:#14171c;--card:#1e232b;--text:#e8ebf0;--soft:#a3adbb;--line:#363e4a;--main:#75b0ff;--on:#0b1a2e;--warn:#3a2d0c;--warn-line:#e0a92e;--good:#65d08f;--bad:#ff8a80;--hold:#f0c04f}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main,#connection,.ended,noscript{display:block;max-width:46rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem;line-height:1.2;margin:.2rem 0}
h2{font-size:1rem;margin:1.5rem 0 .5rem}
p{margin:.3rem 0}
.soft,footer{color:var(--soft)}
ul{list-style:none;margin:0;padding:0}
.card,.notice,.paused-notice{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.9rem 1rem;margin:.7rem 0}
.notice{position:sticky;top:.5rem;border-left:.3rem solid var(--main)}
.paused-notice{background:var(--warn);border:2px solid var(--warn-line)}
.paused-notice strong{display:block;font-size:1.8rem;line-height:1.2}
.line{display:flex;flex-wrap:wrap;gap:.2rem .7rem;align-items:center}
.badge{border:1px solid currentColor;border-radius:1rem;padding:0 .6rem;font-size:.85rem;font-weight:600}
.running,.created{color:var(--main)}.finished{color:var(--good)}.failed,.refused{color:var(--bad)}.paused,.pausing{color:var(--hold)}.canceled,.unknown{color:var(--soft)}
.buttons{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:.7rem}
.button,button{display:inline-block;min-height:2.75rem;padding:.55rem 1rem;border:1px solid var(--line);border-radius:.45rem;background:var(--card);color:var(--text);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
.button:hover,button:hover{border-color:currentColor}
.button:focus-visible,button:focus-visible{outline:3px solid var(--main);outline-offset:2px}
.main{background:var(--main);border-color:var(--main);color:var(--on)}
.danger{color:var(--bad)}
button:disabled{opacity:.5;cursor:wait}
footer{border-top:1px solid var(--line);margin-top:1.5rem;padding-top:.5rem;font-size:.9rem}
footer a{color:inherit}
#connection{position:fixed;bottom:0;left:0;right:0;margin:0 auto;background:var(--card);border-top:2px solid var(--main);font-weight:600}
#connection:empty{padding:0;border:0}
`;
