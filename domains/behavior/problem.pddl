; Put the book into the closed cabinet and clean the stained table
(define (problem tidy-study)
  (:domain behavior)
  (:objects book_0 rag_0 table_0 cabinet_0 sink_0 floor_0)
  (:init (ontop book_0 table_0) (inside rag_0 sink_0) (onfloor table_0 floor_0) (onfloor cabinet_0 floor_0)
         (floor floor_0) (too-heavy table_0) (too-heavy cabinet_0) (too-heavy sink_0)
         (can-open cabinet_0) (can-toggle sink_0) (sink sink_0) (cleaning-tool rag_0) (can-soak rag_0)
         (can-be-stained table_0) (stained table_0))
  (:goal (and (inside book_0 cabinet_0) (not (stained table_0)))))
